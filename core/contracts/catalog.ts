/** The shape of the catalog: facts about the world as data, in `core/catalog/*.yaml`. */
import * as z from 'zod';

export const networks = ['public', 'private', 'loopback', 'link-local', 'metadata', 'reserved'] as const;
export type Network = (typeof networks)[number];

const network = z.enum(networks).meta({ description: 'Network that the addresses or names belong to.' });
const description = z.string().min(1).meta({ description: 'What the entry describes, for the reference page.' });

export const networksSchema = z.strictObject({
  ranges: z.array(
    z.strictObject({
      network,
      addresses: z
        .array(z.string().regex(/^[0-9a-f.:]+\/\d{1,3}$/, 'a range such as 10.0.0.0/8 or fc00::/7'))
        .min(1)
        .meta({ description: 'Ranges in CIDR notation.' }),
      description,
    }),
  ),
  hosts: z.array(
    z.strictObject({
      network,
      names: z
        .array(z.string().regex(/^[a-z0-9.*-]+$/, 'a host name in lower case, with * for any characters'))
        .min(1)
        .meta({ description: 'Host names; * stands for any characters.' }),
      description,
    }),
  ),
  address_domains: z
    .array(z.string().min(1))
    .meta({ description: 'Domains whose DNS answers with the address in the name.' }),
});
export type Networks = z.infer<typeof networksSchema>;
