/** Policy packs as files: shipped ones by name, a user's own by path. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';

const shippedName = /^[a-z][a-z0-9-]{0,63}$/;

/**
 * @param shipped folder of the packs that come with the gateway.
 * @param beside folder that paths are relative to; absent where configurations may not name files.
 */
export const packFiles =
  (shipped: string, beside?: string) =>
  async (name: string): Promise<string> => {
    const byName = shippedName.test(name);
    if (!byName && beside === undefined)
      throw invalidRequest(`pack is ${JSON.stringify(name)}; here it takes the name of a shipped pack.`);
    const file = byName ? join(shipped, `${name}.yaml`) : resolve(beside ?? '.', name);
    try {
      return await readFile(file, 'utf8');
    } catch (cause) {
      throw new GatewayError('invalid_request', `The policy pack ${JSON.stringify(name)} could not be read.`, {
        cause,
      });
    }
  };
