/**
 * Jest evaluates every module once for each test file: aws-cdk-lib has 2,000 of them, and zod, yaml and fast-check are compiled again
 * each time. This transform replaces the entry of such a package by a request to the process, which evaluates it once for all files of a worker.
 */
module.exports = {
  process: (_source, path) => ({ code: `module.exports = nativeRequire(${JSON.stringify(path)});` }),
};
