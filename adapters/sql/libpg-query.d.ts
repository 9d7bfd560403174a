/**
 * The compiled module without its wrapper, which keeps one parser forever. The wrapper's types do not declare this
 * module.
 */
declare module 'libpg-query/wasm/libpg-query.js' {
  const create: () => Promise<unknown>;
  export default create;
}
