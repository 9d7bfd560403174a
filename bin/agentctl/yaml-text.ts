/** YAML for commands that load it on demand. A bundle gives a CommonJS package that is imported on demand only its default export. */
export { stringify } from 'yaml';
