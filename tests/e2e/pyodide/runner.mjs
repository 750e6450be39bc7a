// Runs a Python script on the core inside Pyodide. The core's packages are mounted one by one, so
// that nothing else of p2pokey is within reach.
//
// node runner.mjs JOB, where JOB is JSON: {"packages": {name: folder}, "modules": {name: file},
// "vectors": folder, "script": file, "arguments": [...]}

import { readFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const START = `
import runpy, sys
sys.dont_write_bytecode = True
sys.path.insert(0, "/core")
sys.argv = ["/script.py", *arguments]
runpy.run_path("/script.py", run_name="__main__")
`;

async function main(job) {
  const pyodide = await loadPyodide({
    stdout: (line) => process.stdout.write(`${line}\n`),
    stderr: (line) => process.stderr.write(`${line}\n`),
  });
  pyodide.FS.mkdirTree("/core/p2pokey");
  for (const [name, folder] of Object.entries(job.packages)) {
    mount(pyodide, `/core/p2pokey/${name}`, folder);
  }
  for (const [name, file] of Object.entries(job.modules)) {
    pyodide.FS.writeFile(`/core/p2pokey/${name}`, readFileSync(file));
  }
  mount(pyodide, "/vectors", job.vectors);
  pyodide.FS.writeFile("/script.py", readFileSync(job.script));
  pyodide.globals.set("arguments", pyodide.toPy(job.arguments));
  pyodide.runPython(START);
}

function mount(pyodide, target, folder) {
  pyodide.FS.mkdirTree(target);
  pyodide.mountNodeFS(target, folder);
}

// An error that nobody catches would print Pyodide's own source, a megabyte on one line.
main(JSON.parse(process.argv[2])).catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
