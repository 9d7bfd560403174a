/** JSON documents as YAML, one after another; loaded by the commands that are asked for it. */
import { isScalar, parseDocument, visit } from 'yaml';
import { escapeUnseen } from './output.ts';

/** JSON spells the first control characters out by itself. */
const isUnseen = (text: string): boolean => escapeUnseen(JSON.stringify(text)).includes('\\u');

/** Numbers keep every digit. Text with unseen characters is quoted, so that they can be escaped. */
export function yamlOf(json: string): string {
  const document = parseDocument(json, { intAsBigInt: true, uniqueKeys: false });
  visit(document, (_, node) => {
    if (isScalar(node) && typeof node.value === 'string') {
      if (isUnseen(node.value)) node.type = 'QUOTE_DOUBLE';
      else delete node.type;
    } else if (node !== null && typeof node === 'object' && 'flow' in node) node.flow = false;
  });
  return `---\n${document.toString({ lineWidth: 0 })}`;
}
