/** JSON documents as YAML, one after another; loaded by the commands that are asked for it. */
import { isScalar, parseDocument, visit } from 'yaml';

const unprintable = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\uffff]|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

/** Numbers keep every digit. Text with unseen characters is quoted, so that they can be escaped. */
export function yamlOf(json: string): string {
  const document = parseDocument(json, { intAsBigInt: true, uniqueKeys: false });
  visit(document, (_, node) => {
    if (isScalar(node) && typeof node.value === 'string') {
      if (unprintable.test(node.value)) node.type = 'QUOTE_DOUBLE';
      else delete node.type;
    } else if (node !== null && typeof node === 'object' && 'flow' in node) node.flow = false;
  });
  return `---\n${document.toString({ lineWidth: 0 })}`;
}
