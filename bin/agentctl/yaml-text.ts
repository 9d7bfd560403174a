/** YAML, loaded on demand. Bundled, a CommonJS package imported on demand has only its default export. */
export { stringify } from 'yaml';
