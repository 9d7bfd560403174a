/**
 * The part of WebAssembly's JavaScript API that is used here. TypeScript declares it only as part of the browser's
 * types.
 */
declare namespace WebAssembly {
  /** Compiled code; may be sent to a worker. */
  class Module {
    constructor(bytes: Uint8Array);
    readonly [Symbol.toStringTag]: 'WebAssembly.Module';
  }
  class Memory {
    readonly buffer: ArrayBuffer;
  }
  class Instance {
    constructor(module: Module);
    readonly exports: Readonly<Record<string, unknown>>;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
