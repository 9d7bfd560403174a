/** Values as YAML, for commands that load it on demand: a bundle gives a CommonJS package that is imported so its default export alone. */
export { stringify } from 'yaml';
