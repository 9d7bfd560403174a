import { availableParallelism } from 'node:os';

const swc = [
  '@swc/jest',
  { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'commonjs' } },
];

export default {
  // `npm run coverage`: covers the logic, without generated files and files that contain only types.
  collectCoverageFrom: [
    'core/**/*.ts',
    'features/**/*.ts',
    'adapters/**/*.ts',
    'lambdas/**/*.ts',
    'operator/**/*.ts',
    '!**/*.d.ts',
    '!**/ports.ts',
    '!**/*-sdk.ts',
  ],
  coverageReporters: ['text-summary', 'lcovonly', 'json-summary'],
  coverageThreshold: { global: { lines: 92, branches: 85 } },
  // A run leaves nothing in the temporary directory: test files are removed with it, and caches are kept in
  // `node_modules`.
  globalSetup: '<rootDir>/test/support/temporary-folder.mjs',
  globalTeardown: '<rootDir>/test/support/remove-temporary-folder.mjs',
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testEnvironment: '<rootDir>/test/support/jest-environment.mjs',
  // One more than the number of cores, because many files wait for processes.
  maxWorkers: availableParallelism() + 1,
  // Contexts of earlier files are not all freed: a worker that uses more memory than this is replaced before its next
  // file.
  workerIdleMemoryLimit: '1GB',
  // A worker needs up to a second to free a heap of that size; with Jest's default of half a second, the tests would be
  // blamed.
  workerGracefulExitTimeout: 10_000,
  // A test should fail because of its assertions, never because the machine was busy: this only ends tests that hang.
  testTimeout: 900_000,
  testMatch: ['<rootDir>/{test,features}/**/*.test.ts'],
  // Packages that only have `import` exports: name their file, and let SWC transform them.
  moduleNameMapper: { '^@middy/(core|util)$': '<rootDir>/node_modules/@middy/$1/index.js' },
  transform: {
    '/node_modules/(aws-cdk-lib|cdk-nag|constructs|yaml|fast-check|zod|jose|uuid)/|/test/support/(warm-agentctl|rsa-key).ts$':
      '<rootDir>/test/support/native-module.cjs',
    '^.+\\.(ts|js)$': swc,
  },
  transformIgnorePatterns: ['/node_modules/(?!(@middy|jose|uuid|aws-cdk-lib|cdk-nag|constructs|yaml|fast-check|zod)/)'],
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/dist', '<rootDir>/.emulator'],
};
