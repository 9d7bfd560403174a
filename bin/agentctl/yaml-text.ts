/**
 * YAML for commands that load it on demand. Bundled, a CommonJS package imported on demand has only its default export.
 */
export { stringify } from 'yaml';
