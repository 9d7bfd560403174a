/**
 * Jest's environment for Node, with the process's own `require`, through which `test/support/native-module.cjs` loads.
 */
import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-node';

const nativeRequire = createRequire(import.meta.url);

export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.nativeRequire = nativeRequire;
  }
}
