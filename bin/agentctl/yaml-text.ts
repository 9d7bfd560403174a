/**
 * The YAML package, loaded on demand. When bundled, a CommonJS package imported on demand has only its default export.
 */
export { stringify } from 'yaml';
