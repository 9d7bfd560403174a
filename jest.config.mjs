import { availableParallelism } from 'node:os';

const swc = [
  '@swc/jest',
  { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'commonjs' } },
];

export default {
  // `npm run coverage`: the logic, without what only types and what is generated.
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
  // Nothing of a run stays in the temporary directory: files of tests go with it, caches stand among the modules.
  globalSetup: '<rootDir>/test/support/temporary-folder.mjs',
  globalTeardown: '<rootDir>/test/support/remove-temporary-folder.mjs',
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testEnvironment: '<rootDir>/test/support/jest-environment.mjs',
  // One more than there are cores: many files wait for processes.
  maxWorkers: availableParallelism() + 1,
  // Contexts of earlier files are not all given back: a worker that uses more than this is replaced before its next file.
  workerIdleMemoryLimit: '1GB',
  // A worker needs up to a second to give a heap of that size back; Jest's half second would blame the tests for it.
  workerGracefulExitTimeout: 10_000,
  // A test fails for what it found, never because the machine was busy: this ends what hangs.
  testTimeout: 900_000,
  testMatch: ['<rootDir>/{test,features}/**/*.test.ts'],
  // Packages that export for `import` only: name their file, and let SWC transform them.
  moduleNameMapper: { '^@middy/(core|util)$': '<rootDir>/node_modules/@middy/$1/index.js' },
  transform: {
    '/node_modules/(aws-cdk-lib|cdk-nag|constructs|yaml|fast-check|zod|jose|uuid)/|/test/support/(warm-agentctl|rsa-key).ts$':
      '<rootDir>/test/support/native-module.cjs',
    '^.+\\.(ts|js)$': swc,
  },
  transformIgnorePatterns: ['/node_modules/(?!(@middy|jose|uuid|aws-cdk-lib|cdk-nag|constructs|yaml|fast-check|zod)/)'],
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/dist', '<rootDir>/.emulator'],
};
