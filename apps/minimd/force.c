#include "md_app.h"

mx_err md_prepare_force(md_app *app) { return md_prepare_lj(app); }

mx_err md_bind_force(md_app *app) { return md_bind_lj(app); }

mx_err md_compute_force(md_app *app, bool energy) { return md_compute_lj(app, energy); }

void md_free_force(md_app *app) { (void)app; }
