/** The compiled module without its wrapper, which keeps one parser forever: the wrapper's types do not name it. */
declare module 'libpg-query/wasm/libpg-query.js' {
  const create: () => Promise<unknown>;
  export default create;
}
