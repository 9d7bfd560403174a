/**
 * Jest evaluates every module once for each test file, and aws-cdk-lib has 2,000 of them. This transform replaces an entry
 * of such a package by a request to the process, where it is evaluated once for all files of a worker.
 */
module.exports = {
  process: (_source, path) => ({ code: `module.exports = nativeRequire(${JSON.stringify(path)});` }),
};
