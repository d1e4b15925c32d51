#!/usr/bin/env python3
"""Opens what test_app_frames wrote as its users would: the trajectory with MDAnalysis, the side file with VTK's reader of XDMF
(or with meshio, which reads unstructured meshes only). Values are those of frames.c.

usage: side_file.py mdanalysis|vtk FOLDER     exit code 0: all holds, 1: not, 77: the module is missing
"""
import os
import sys
import warnings

PARTICLES, FRAMES, ROWS, COLUMNS = 50, 7, 6, 4


def check(got, expected, what):
    if got != expected:
        print(f"{what}: got {got}, expected {expected}")
        sys.exit(1)


def skip(module, package, error):
    print(f"skipped: side_file.py: the Python module {module} is missing (Debian: {package}): {error}")
    sys.exit(77)


def position(number, frame):
    return [((number * 7 + frame * 3 + c) % 80) / 8 for c in range(3)]


def mdanalysis(folder):
    warnings.simplefilter("ignore")
    try:
        import MDAnalysis
    except ImportError as error:
        skip("MDAnalysis", "python3-mdanalysis", error)
    universe = MDAnalysis.Universe.empty(PARTICLES, trajectory=False)
    universe.load_new(os.path.join(folder, "frames.h5"), format="H5MD")
    check(len(universe.trajectory), FRAMES, "frames")
    for frame, step in enumerate(universe.trajectory):
        check((step.time, step.data["step"]), (0.5 * frame, 10 * frame), "time and step")
        check([float(x) for x in step.dimensions], [10, 10, 10, 90, 90, 90], "box")
        check(universe.atoms.positions.tolist(), [position(i, frame) for i in range(PARTICLES)], f"positions of frame {frame}")


def leaves(data):
    """The meshes in a tree of blocks."""
    if data is None:
        return []
    if not data.IsA("vtkMultiBlockDataSet"):
        return [data]
    return [leaf for i in range(data.GetNumberOfBlocks()) for leaf in leaves(data.GetBlock(i))]


def array(attributes, name):
    values = attributes.GetArray(name)
    if values is None:
        print(f"{name}: missing")
        sys.exit(1)
    return [values.GetTuple(i) for i in range(values.GetNumberOfTuples())]


def check_brick(mesh):
    check((mesh.GetNumberOfPoints(), mesh.GetNumberOfCells()), (36, 12), "brick")
    points = [mesh.GetPoint(i) for i in range(36)]
    check(points, [(i % 4, 2.0 * (i // 4 % 3), 3.0 * (i // 12)) for i in range(36)], "points")
    check({mesh.GetCellType(i) for i in range(12)}, {12}, "cell types (12: hexahedron)")
    check(mesh.GetCell(5).GetBounds(), (2.0, 3.0, 2.0, 4.0, 0.0, 3.0), "cell 5")
    check(array(mesh.GetPointData(), "pressure"), [(x + 10 * y + 100 * z,) for x, y, z in points], "pressure")
    check(array(mesh.GetPointData(), "velocity"), [(i, i + 1, i + 2) for i in range(36)], "velocity")
    check(array(mesh.GetCellData(), "material"), [(i + 1,) for i in range(12)], "material")


def check_charges(mesh):
    check([list(mesh.GetPoint(i)) for i in range(PARTICLES)], [position(i, 0) for i in range(PARTICLES)], "points with charges")
    check(array(mesh.GetPointData(), "charge"), [(i,) for i in range(PARTICLES)], "charges")


def check_density(mesh, frame):
    check(mesh.GetNumberOfCells(), ROWS * COLUMNS, "cells of the uniform mesh")
    bounds = [round(x, 12) for x in mesh.GetBounds()]
    check(sorted(bounds), sorted([-1, 2, 2, 3, 0, 0]), "bounds of the uniform mesh")
    check(array(mesh.GetCellData(), "density"), [(100 * frame + 10 * j + k,) for j in range(ROWS) for k in range(COLUMNS)],
          f"density of frame {frame}")


def vtk(folder):
    try:
        from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
        import vtkmodules.vtkRenderingCore  # noqa: F401 (VTK 9.1 registers what the reader makes)
    except ImportError as error:
        return meshes(folder, error)
    reader = vtkXdmfReader()
    reader.SetFileName(os.path.join(folder, "frames.xmf"))
    for frame in range(FRAMES):
        reader.UpdateInformation()
        reader.UpdateTimeStep(0.5 * frame)
        found = leaves(reader.GetOutputDataObject(0))
        check(len(found), 4, "meshes")
        check(len([mesh for mesh in found if mesh.GetPointData().HasArray("charge")]), 1, "meshes with charges")
        for mesh in found:
            if mesh.GetPointData().HasArray("charge"):
                check_charges(mesh)
            elif mesh.GetNumberOfPoints() == PARTICLES:
                check([list(mesh.GetPoint(i)) for i in range(PARTICLES)], [position(i, frame) for i in range(PARTICLES)],
                      f"particles of frame {frame}")
            elif mesh.IsA("vtkUnstructuredGrid"):
                check_brick(mesh)
            else:
                check_density(mesh, frame)
    return None


def meshes(folder, no_vtk):
    try:
        import meshio
    except ImportError as error:
        skip("vtk or meshio", "python3-vtk9 or python3-meshio", f"{no_vtk}; {error}")
    print(f"meshio instead of VTK: {no_vtk}")
    text = open(os.path.join(folder, "frames.xmf"), encoding="utf-8").read()
    # meshio reads a single unstructured grid
    grid = text[text.index('<Grid Name="mesh'):]
    name = os.path.join(folder, "brick.xmf")
    with open(name, "w", encoding="utf-8") as file:
        file.write('<Xdmf Version="3.0"><Domain>' + grid[: grid.index("</Grid>")] + "</Grid></Domain></Xdmf>")
    mesh = meshio.read(name, file_format="xdmf")
    check(mesh.points.tolist(), [[i % 4, 2.0 * (i // 4 % 3), 3.0 * (i // 12)] for i in range(36)], "points")
    check(mesh.point_data["pressure"].tolist(), [x + 10 * y + 100 * z for x, y, z in mesh.points.tolist()], "pressure")
    check(mesh.cells[0].type, "hexahedron", "cell type")


def main():
    {"mdanalysis": mdanalysis, "vtk": vtk}[sys.argv[1]](sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
