/** Writes JSON documents as YAML; loaded on demand. */
import { isScalar, parseDocument, visit } from 'yaml';
import { escapeInvisible } from './output.ts';

/** Checks for invisible characters. JSON itself already escapes the ASCII control characters. */
const isUnseen = (text: string): boolean => escapeInvisible(JSON.stringify(text)).includes('\\u');

/** Converts JSON to YAML. Numbers keep every digit; text with invisible characters is quoted and escaped. */
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
