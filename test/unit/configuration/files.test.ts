/** Files that a configuration may name, and the folders that are searched for them. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packFiles } from '#adapters/files/pack-files.ts';
import { sourceFiles } from '#adapters/files/source-files.ts';
import { shippedPriceFile, shippedPrices } from '#core/configuration/load/shipped-prices.ts';

const checkout = resolve(__dirname, '../../..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-sources-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('[config.prices] the shipped price table is found from any working directory, but a file in that directory takes precedence', async () => {
  const { prices } = sourceFiles(checkout, folder);
  expect(await prices(shippedPriceFile)).toContain('as_of: ');
  mkdirSync(join(folder, 'config'));
  writeFileSync(join(folder, shippedPriceFile), 'mine');
  writeFileSync(join(folder, 'other.yaml'), 'other');
  expect([await prices(shippedPriceFile), await prices('other.yaml')]).toEqual(['mine', 'other']);
  expect(await prices(join(folder, 'other.yaml'))).toBe('other');
  await expect(prices('none.yaml')).rejects.toThrow(`there is no file ${join(folder, 'none.yaml')}`);
  await expect(prices('config')).rejects.toThrow('could not be read');
});

test('[config.prices] hosts that read no other files provide the shipped price table by name, from a checkout or a bundle', async () => {
  const shipped = await packFiles(join(checkout, 'policies'))(shippedPrices);
  cpSync(join(checkout, shippedPriceFile), join(folder, 'policies/prices.yaml'));
  expect(await packFiles(join(folder, 'policies'))(shippedPrices)).toBe(shipped);
  await expect(packFiles(folder)(shippedPrices)).rejects.toThrow('The shipped price table could not be read.');
});

test('[config.schema-published] modules are found by absolute path or relative to the working directory, and must be runnable', async () => {
  const { module } = sourceFiles(checkout, folder);
  cpSync(join(checkout, 'plugins/keyword-guard.wasm'), join(folder, 'guard.wasm'));
  writeFileSync(join(folder, 'bad.wasm'), 'not WebAssembly');
  expect(await module('guard.wasm')).toEqual(await module(join(folder, 'guard.wasm')));
  await expect(module('plugins/keyword-guard.wasm')).rejects.toThrow('there is no file');
  await expect(module('bad.wasm')).rejects.toThrow('the WASM module is corrupt');
});
