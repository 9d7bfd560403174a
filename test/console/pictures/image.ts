/** Reads, shrinks and writes pictures in the browser, so that no library is needed. */
import type { Browser, Page } from 'playwright-core';
import { type Blocks, blockPixels } from './compare.ts';

/** Scale of the stored pictures: half the size of the page. */
const scale = 0.5;

interface Picture {
  /** The WebP file. */
  readonly webp: Buffer;
  readonly blocks: Blocks;
}

export interface Painter {
  /** Shrinks a screenshot. */
  picture(png: Buffer): Promise<Picture>;
  /** Reads a stored picture. */
  blocksOf(webp: Buffer): Promise<Blocks>;
  /** Draws a picture in pale colours, with its changed blocks framed in red. @returns a PNG. */
  marked(webp: Buffer, changed: readonly number[], columns: number): Promise<Buffer>;
  /** Returns the widths of a sample text in the console's fonts, to check whether this machine has the same fonts. */
  textWidths(fonts: readonly string[]): Promise<readonly number[]>;
  close(): Promise<void>;
}

interface Drawing {
  readonly base64: string;
  readonly columns: number;
  readonly means: readonly number[];
}

/** The browser API that the functions below use; the tests are compiled without its types. */
interface Bitmap {
  readonly width: number;
  readonly height: number;
}
interface Pixels {
  readonly data: Uint8ClampedArray;
}
interface Drawing2d {
  readonly canvas: { convertToBlob(as: { type: string; quality?: number }): Promise<Blob> };
  fillStyle: string;
  strokeStyle: string;
  globalAlpha: number;
  font: string;
  drawImage(of: Bitmap, x: number, y: number): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  strokeRect(x: number, y: number, width: number, height: number): void;
  createImageData(width: number, height: number): Pixels;
  getImageData(x: number, y: number, width: number, height: number): Pixels;
  putImageData(of: Pixels, x: number, y: number): void;
  measureText(text: string): { readonly width: number };
}
declare const createImageBitmap: (of: Blob) => Promise<Bitmap>;
declare const OffscreenCanvas: new (
  width: number,
  height: number,
) => { getContext(kind: '2d', options?: { willReadFrequently: boolean }): Drawing2d };

/** Runs in the browser: draws an image and averages the pixels of each block. */
async function drawn([base64, factor, block, type]: [string, number, number, string]): Promise<Drawing> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const contextOf = (width: number, height: number) =>
    new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  const full = contextOf(bitmap.width, bitmap.height);
  full.drawImage(bitmap, 0, 0);
  const step = Math.round(1 / factor);
  const [width, height] = [Math.floor(bitmap.width / step), Math.floor(bitmap.height / step)];
  const source = full.getImageData(0, 0, bitmap.width, bitmap.height).data;
  const small = contextOf(width, height);
  const target = small.createImageData(width, height);
  const columns = Math.ceil(width / block);
  const sums = new Array<number>(columns * Math.ceil(height / block) * 4).fill(0);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const into = (Math.floor(y / block) * columns + Math.floor(x / block)) * 4;
      for (let channel = 0; channel < 4; channel++) {
        let sum = 0;
        for (let dy = 0; dy < step; dy++)
          for (let dx = 0; dx < step; dx++)
            sum += source[((y * step + dy) * bitmap.width + x * step + dx) * 4 + channel]!;
        const value = sum / step ** 2;
        target.data[(y * width + x) * 4 + channel] = value;
        if (channel < 3) sums[into + channel]! += value;
      }
      sums[into + 3]!++;
    }
  small.putImageData(target, 0, 0);
  const means = sums.map((sum, at) => (at % 4 === 3 ? 255 : sum / sums[at - (at % 4) + 3]!));
  const blob = await small.canvas.convertToBlob({ type, quality: 0.8 });
  const written = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (const byte of written) text += String.fromCharCode(byte);
  return { base64: btoa(text), columns, means };
}

/** Runs in the browser. */
async function framed([base64, changed, columns, block]: [string, readonly number[], number, number]): Promise<string> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, bitmap.width, bitmap.height);
  context.globalAlpha = 0.6;
  context.drawImage(bitmap, 0, 0);
  context.globalAlpha = 1;
  context.strokeStyle = '#d00';
  for (const at of changed) context.strokeRect((at % columns) * block, Math.floor(at / columns) * block, block, block);
  const written = new Uint8Array(await (await context.canvas.convertToBlob({ type: 'image/png' })).arrayBuffer());
  let text = '';
  for (const byte of written) text += String.fromCharCode(byte);
  return btoa(text);
}

/** Runs in the browser. */
function measured(fonts: readonly string[]): readonly number[] {
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  return fonts.map((font) => {
    context.font = font;
    return Math.round(context.measureText('Approve, deny: 0123456789 {wgmMQ} fi').width);
  });
}

export async function painter(browser: Browser): Promise<Painter> {
  const context = await browser.newContext();
  const page: Page = await context.newPage();
  const draw = async (bytes: Buffer, factor: number) => {
    const { base64, columns, means } = await page.evaluate(drawn, [
      bytes.toString('base64'),
      factor,
      blockPixels,
      'image/webp',
    ] as [string, number, number, string]);
    return { webp: Buffer.from(base64, 'base64'), blocks: { columns, means } };
  };
  return {
    picture: (png) => draw(png, scale),
    blocksOf: async (webp) => (await draw(webp, 1)).blocks,
    marked: async (webp, changed, columns) =>
      Buffer.from(
        await page.evaluate(framed, [webp.toString('base64'), changed, columns, blockPixels] as [
          string,
          readonly number[],
          number,
          number,
        ]),
        'base64',
      ),
    textWidths: (fonts) => page.evaluate(measured, fonts),
    close: () => context.close(),
  };
}
