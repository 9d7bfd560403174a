/** A single list of networks, so that connectors, argument checks and the tool guard agree about every address. */

import * as z from 'zod';
import { mayConnect } from '#adapters/executors/http-exchange.ts';
import { networkOf, networkOfHost } from '#core/catalog/networks.ts';
import { checkArguments } from '#core/guard/arguments.ts';
import { isInnerAddress } from '#core/policy/classification/inner-address.ts';
import { orUndefined, readCases, rows, text, texts } from '../../support/yaml.ts';

const cases = readCases(
  'test/unit/catalog/networks.yaml',
  z.strictObject({
    addresses: z.record(z.string(), texts),
    hosts: rows(text, orUndefined(text)),
    noAddresses: texts,
    metadata: texts,
  }),
);

const each = Object.entries(cases.addresses).flatMap(([network, all]) =>
  all.map((address) => [address, network] as const),
);

describe('[catalog.own]', () => {
  test.each(each)('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test.each(each)('every component agrees that %s is %s', (address, network) => {
    const isPublic = network === 'public';
    expect(mayConnect(address, false)).toBe(isPublic);
    expect(mayConnect(address, true)).toBe(['public', 'private', 'loopback'].includes(network));
    const url = `http://${address.includes(':') ? `[${address}]` : address}/x`;
    expect(isInnerAddress(url, false)).toBe(!isPublic);
    const kinds = checkArguments({ url }).map(({ kind }) => kind);
    expect(kinds.includes('url')).toBe(network === 'metadata' || network === 'link-local');
  });

  test.each(cases.noAddresses)('"%s" is not an address, and no component connects to it', (text) => {
    expect(networkOf(text)).toBeUndefined();
    expect([mayConnect(text, false), mayConnect(text, true)]).toEqual([false, false]);
  });

  test.each(cases.hosts)('the host %s is %s', (host, network) => {
    expect(networkOfHost(host)).toBe(network);
  });

  test.each(cases.metadata)('the tool guard detects the metadata service in %s', (url) => {
    expect(checkArguments({ url }).map(({ kind }) => kind)).toContain('url');
  });

  test.each(['https://example.com/metadata', '169.254.0.0/16', 'instance-data', 'https://metadata.crossref.org/works'])(
    'the tool guard does not flag %s',
    (url) => {
      expect(checkArguments({ url }).map(({ kind }) => kind)).not.toContain('url');
    },
  );
});
