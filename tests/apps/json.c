/* JSON documents: every kind of value, and texts of all kinds of bytes. That any JSON library reads
 * them is for summary.py. */
#include "results/json.h"

#include "check.h"

#include <float.h>

static void compare(const char *got, const char *expected)
{
    if (got && strcmp(got, expected) == 0) return;
    ++check_failures;
    fprintf(stderr, "got\n%s\nexpected\n%s\n", got ? got : "nothing", expected);
}

static void test_values(void)
{
    static const char expected[] = "{\n"
                                   "  \"text\": \"a b\",\n"
                                   "  \"none\": null,\n"
                                   "  \"empty\": \"\",\n"
                                   "  \"object\": {\n"
                                   "    \"whole\": -9223372036854775808,\n"
                                   "    \"in\": {\n"
                                   "      \"yes\": true,\n"
                                   "      \"no\": false\n"
                                   "    }\n"
                                   "  },\n"
                                   "  \"nothing\": {\n"
                                   "  },\n"
                                   "  \"third\": 0.33333333333333331,\n"
                                   "  \"one\": 1,\n"
                                   "  \"zero\": -0,\n"
                                   "  \"largest\": 1.7976931348623157e+308,\n"
                                   "  \"smallest\": 4.9406564584124654e-324,\n"
                                   "  \"nan\": null,\n"
                                   "  \"infinity\": null\n"
                                   "}\n";
    app_json json = {.depth = 0};
    app_json_begin(&json, NULL);
    app_json_text(&json, "text", "a b");
    app_json_text(&json, "none", NULL);
    app_json_text(&json, "empty", "");
    app_json_begin(&json, "object");
    app_json_whole(&json, "whole", INT64_MIN);
    app_json_begin(&json, "in");
    app_json_flag(&json, "yes", true);
    app_json_flag(&json, "no", false);
    app_json_end(&json);
    app_json_end(&json);
    app_json_begin(&json, "nothing");
    app_json_end(&json);
    app_json_real(&json, "third", 1.0 / 3);
    app_json_real(&json, "one", 1);
    app_json_real(&json, "zero", -0.0);
    app_json_real(&json, "largest", DBL_MAX);
    app_json_real(&json, "smallest", DBL_TRUE_MIN);
    app_json_real(&json, "nan", (double)NAN);
    app_json_real(&json, "infinity", -(double)INFINITY);
    app_json_end(&json);
    CHECK_OK(json.err);
    CHECK_I64(json.depth, 0);
    compare(json.text.text, expected);
    app_json_free(&json);
    CHECK(json.text.text == NULL);
}

/* Bytes that are no UTF-8 are escaped one by one, as Python's surrogateescape does. */
static void test_texts(void)
{
    static const struct {
        const char *text, *escaped;
    } all[] = {
        {"\"quoted\" \\ /", "\\\"quoted\\\" \\\\ /"},
        {"tab\tline\nend\x7f\x01", "tab\\u0009line\\u000aend\\u007f\\u0001"},
        {"\xc3\xa9\xe2\x82\xac", "\\u00e9\\u20ac"},           /* two and three bytes */
        {"\xf0\x9f\x98\x80", "\\ud83d\\ude00"},               /* four: a pair */
        {"\xf4\x8f\xbf\xbf", "\\udbff\\udfff"},               /* the last character */
        {"\xf4\x90\x80\x80", "\\udcf4\\udc90\\udc80\\udc80"}, /* beyond it */
        {"\xff"
         "a",
         "\\udcffa"},                   /* begins nothing */
        {"\x80", "\\udc80"},            /* continues nothing */
        {"\xe2\x82", "\\udce2\\udc82"}, /* cut short */
        {"\xe2\x82"
         "a",
         "\\udce2\\udc82a"},
        {"\xc0\x80\xc1\xbf", "\\udcc0\\udc80\\udcc1\\udcbf"}, /* too long a form */
        {"\xe0\x9f\xbf", "\\udce0\\udc9f\\udcbf"},
        {"\xf0\x8f\xbf\xbf", "\\udcf0\\udc8f\\udcbf\\udcbf"},
        {"\xed\xa0\x80", "\\udced\\udca0\\udc80"}, /* a surrogate */
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char expected[256];
        app_json json = {.depth = 0};
        app_json_begin(&json, NULL);
        app_json_text(&json, "t", all[i].text);
        app_json_end(&json);
        snprintf(expected, sizeof expected, "{\n  \"t\": \"%s\"\n}\n", all[i].escaped);
        compare(json.text.text, expected);
        app_json_free(&json);
    }
}

int main(void)
{
    test_values();
    test_texts();
    return check_failures == 0 ? 0 : 1;
}
