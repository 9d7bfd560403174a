/** Reads policy packs (shipped ones by name, a user's own by path) and the shipped price table. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { shippedPrices } from '#core/configuration/load/shipped-prices.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';

const shippedName = /^[a-z][a-z0-9-]{0,63}$/;

/**
 * Reads packs.
 * @param shipped folder of the packs that come with the gateway. It also provides the price table under the name
 * `prices`: from that folder in a bundle, from `config/` next to it in a checkout.
 * @param beside folder that paths are relative to; absent if configurations may not name files.
 */
export const packFiles =
  (shipped: string, beside?: string) =>
  async (name: string): Promise<string> => {
    if (name === shippedPrices) return shippedTable(shipped);
    const byName = shippedName.test(name);
    if (!byName && beside === undefined)
      throw invalidRequest(`pack is ${JSON.stringify(name)}; here it must be the name of a shipped pack.`);
    const file = byName ? join(shipped, `${name}.yaml`) : resolve(beside ?? '.', name);
    try {
      return await readFile(file, 'utf8');
    } catch (cause) {
      throw new GatewayError('invalid_request', `The policy pack ${JSON.stringify(name)} could not be read.`, {
        cause,
      });
    }
  };

async function shippedTable(shipped: string): Promise<string> {
  const [beside, inCheckout] = [join(shipped, 'prices.yaml'), join(shipped, '../config/prices.yaml')];
  try {
    return await readFile(beside, 'utf8').catch(() => readFile(inCheckout, 'utf8'));
  } catch (cause) {
    throw new GatewayError('invalid_request', 'The shipped price table could not be read.', { cause });
  }
}
