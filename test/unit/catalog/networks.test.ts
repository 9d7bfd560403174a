/** One list of networks: connectors, argument checks and the tool guard give the same answer about an address. */
import { mayConnect } from '#adapters/executors/public-address.ts';
import { isPrivate } from '#adapters/http/public-address.ts';
import { networkOf, networkOfHost } from '#core/catalog/networks.ts';
import type { Network } from '#core/contracts/catalog.ts';
import { checkArguments } from '#core/guard/arguments.ts';
import { isInnerAddress } from '#core/policy/classification/inner-address.ts';

const addresses: readonly (readonly [Network, readonly string[]])[] = [
  [
    'public',
    ['8.8.8.8', '172.32.0.1', '100.128.0.1', '193.0.0.1', '2606:4700::1111', '::ffff:8.8.8.8', '2001:4860::8888'],
  ],
  ['loopback', ['127.0.0.1', '127.8.8.8', '::1', '0:0::0:1', '::ffff:127.0.0.1', '::FFFF:7F00:1']],
  [
    'private',
    ['10.1.2.3', '172.31.255.255', '192.168.1.1', '100.64.0.1', 'fd12:3456::1', 'fc00::1', '::ffff:10.0.0.1'],
  ],
  ['link-local', ['169.254.1.1', 'fe80::1', 'febf::1']],
  [
    'metadata',
    ['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'],
  ],
  ['metadata', ['::ffff:169.254.169.254', '::ffff:a83f:8110', 'fd20:ce::254', '169.254.170.23']],
  ['reserved', ['0.0.0.0', '0.1.2.3', '192.0.0.1', '192.0.2.1', '198.51.100.7', '203.0.113.9', '192.88.99.1']],
  [
    'reserved',
    ['198.18.0.1', '198.19.255.255', '224.0.0.1', '240.0.0.1', '255.255.255.255', '::', 'ff02::1', 'fec0::1'],
  ],
  ['reserved', ['2001:db8::1', '3fff::1', '2001:20::1', '2001::1', '4000::1', '::ffff:0.0.0.0']],
  // Forms that embed an IPv4 address, a public one as well.
  ['reserved', ['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::1', '2002:7f00:1::', '2002:808:808::', '::7f00:1']],
  ['reserved', ['::ffff:0:7f00:1']],
];
const each = addresses.flatMap(([network, list]) => list.map((address) => [address, network] as const));

describe('[catalog.networks]', () => {
  test.each(each)('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test.each(each)('every caller agrees that %s is %s', (address, network) => {
    const isPublic = network === 'public';
    expect(mayConnect(address, false)).toBe(isPublic);
    expect(mayConnect(address, true)).toBe(['public', 'private', 'loopback'].includes(network));
    expect(isPrivate(address)).toBe(!isPublic);
    const url = `http://${address.includes(':') ? `[${address}]` : address}/x`;
    expect(isInnerAddress(url, false)).toBe(!isPublic);
    const kinds = checkArguments({ url }).map(({ kind }) => kind);
    expect(kinds.includes('url')).toBe(network === 'metadata' || network === 'link-local');
  });

  test.each([
    'localhost',
    '',
    '127.1',
    '0x7f.1',
    '2130706433',
    '010.0.0.1',
    '256.0.0.1',
    '1.2.3',
    '1.2.3.4.',
    'fe80::1%eth0',
    ':',
    '1::2::3',
    '[::1]',
  ])('"%s" is not an address, and no caller connects to it', (text) => {
    expect(networkOf(text)).toBeUndefined();
    expect(mayConnect(text, true)).toBe(false);
    expect(isPrivate(text)).toBe(true);
  });

  test.each<[string, Network | undefined]>([
    ['localhost', 'loopback'],
    ['LOCALHOST.', 'loopback'],
    ['[::1]', 'loopback'],
    ['db.internal', 'private'],
    ['x.localtest.me', 'private'],
    ['metadata.google.internal', 'metadata'],
    ['instance-data', 'metadata'],
    ['metadata.example.com', 'private'],
    ['10.0.0.1.nip.io', 'private'],
    ['a.169-254-169-254.sslip.io', 'metadata'],
    ['a9fea9fe.nip.io', 'metadata'],
    ['8.8.8.8.nip.io', 'public'],
    ['example.com', undefined],
    ['internal.example.com', undefined],
    ['my-metadata.example.com', undefined],
  ])('the host %s is %s', (host, network) => {
    expect(networkOfHost(host)).toBe(network);
  });

  test.each([
    'see (http://metadata.google.internal) first',
    'http://168.63.129.16/machine',
    'http://a:b@169.254.170.2:80/v2',
    '//2852039166/latest',
    'http://[::ffff:169.254.169.254]/',
    'http://[fd00:ec2::254]/latest',
    '100.100.100.200/latest',
  ])('the tool guard finds the metadata service in %s', (url) => {
    expect(checkArguments({ url }).map(({ kind }) => kind)).toContain('url');
  });

  test.each(['https://example.com/metadata', '169.254.0.0/16', 'instance-data', 'https://metadata.crossref.org/works'])(
    'the tool guard leaves %s alone',
    (url) => {
      expect(checkArguments({ url }).map(({ kind }) => kind)).not.toContain('url');
    },
  );
});
