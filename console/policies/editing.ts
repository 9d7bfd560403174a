/** Dependencies of the policy editor, in one chunk. */
export { parseDraft, policiesOf, writtenForm } from './written.ts';
export { YamlEditor } from './yaml-editor.tsx';
