/** Dependencies of the policy editor, in one chunk. */
export { policiesOf, read, writtenForm } from './written.ts';
export { YamlEditor } from './yaml-editor.tsx';
