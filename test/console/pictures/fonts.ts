/**
 * Checks the fonts of the stored pictures by the width of a sample text. If the fonts differ, the comparison is
 * skipped.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Painter } from './image.ts';

const file = new URL('fonts.txt', import.meta.url);
const fonts = ['100px system-ui', '600 100px system-ui', '100px ui-monospace, "Liberation Mono", monospace'];

export const fontWidths = async (paint: Painter): Promise<string> => (await paint.textWidths(fonts)).join(' ');
export const storedFontWidths = (): string => readFileSync(file, 'utf8').trim();
export const storeFontWidths = (widths: string): void => writeFileSync(file, `${widths}\n`);
