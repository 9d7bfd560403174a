/** Edge settings from CDK context: host names, CloudFront, the web ACL, the private admin API. */
import { isIP } from 'node:net';
import type { Node } from 'constructs';
import type { Route } from '#core/contracts/route.ts';
import { arns, list, wholeContext, word, words } from './context.ts';
import type { NetworkSettings } from './network-settings.ts';

/** REST surfaces, and the WebSocket. */
export type Surface = Route['surface'] | 'webSocket';

export interface DomainSettings {
  /** The host of each surface. Each has its own, because MCP discovery and `/health` are at the root of a host. */
  readonly hosts: Readonly<Record<Surface, string>>;
  /** The host that serves all surfaces by path, only through CloudFront. */
  readonly edgeHost: string;
  /** ARN of the certificate in the deployment's region. CloudFront has a separate certificate. */
  readonly certificate: string | undefined;
  /** Route 53 zone for alias records. If absent, the operator creates them. */
  readonly hostedZoneId: string | undefined;
}

export interface CloudFrontSettings {
  /** ARN of the certificate in us-east-1, where CloudFront requires it. */
  readonly certificate: string;
  /**
   * A web ACL with scope CLOUDFRONT that the operator maintains in us-east-1, in addition to this deployment's regional
   * one.
   */
  readonly webAcl: string | undefined;
  /** Longest time an origin may be silent, before the first byte and between bytes. */
  readonly readTimeoutSeconds: number;
  /** Versions of the origin secret: the first is sent, all are accepted. If empty, the current version is used. */
  readonly secretVersions: readonly string[];
}

export interface FirewallSettings {
  /** Requests per client address in five minutes; additional requests get status 429. */
  readonly requestsPerAddress: number;
}

export interface EdgeSettings {
  readonly domain?: DomainSettings;
  readonly cloudFront?: CloudFrontSettings;
  readonly firewall?: FirewallSettings;
  /** Networks that may call the admin API; if empty, all networks. */
  readonly adminCidrs: readonly string[];
  /** True if the admin API is reachable only through an endpoint in the deployment's VPC [cloud.firewall]. */
  readonly privateAdmin: boolean;
}

const labels: Readonly<Record<Surface, string>> = {
  gateway: 'api',
  mcp: 'mcp',
  admin: 'admin',
  callbacks: 'callbacks',
  webSocket: 'ws',
};

/**
 * Reads the settings. @throws if options contradict each other, lack a required option, or need a feature that the
 * emulator lacks.
 */
export function edgeSettings(node: Node, onEmulator: boolean, network: NetworkSettings | undefined): EdgeSettings {
  const adminCidrs = cidrs(node, 'adminCidrs');
  const privateAdmin = word(node, 'admin', ['public', 'private']) === 'private';
  const domain = domainSettings(node);
  const behindCloudFront = word(node, 'edge', ['off', 'on']) === 'on';
  const filtersAddresses = adminCidrs.length > 0 && !privateAdmin;
  const firewall = word(node, 'firewall', ['off', 'on']) === 'on' || behindCloudFront || filtersAddresses;
  if (onEmulator && (domain || firewall || privateAdmin))
    throw new Error('Context "domain", "edge", "firewall", "adminCidrs" and "admin" need AWS: leave them out.');
  if (privateAdmin && (network === undefined || adminCidrs.length === 0))
    throw new Error(
      'Context "admin=private" needs "vpcId", "subnetIds" and "securityGroupIds" for its endpoint, and in "adminCidrs" the networks that may reach it.',
    );
  if (behindCloudFront && domain === undefined)
    throw new Error('Context "edge=on" needs "domain": the functions have to know the hosts that callers use.');
  if (domain && !behindCloudFront && domain.certificate === undefined)
    throw new Error('Context "domain" needs "certificate", the ARN of its certificate in the deployment\'s region.');
  return {
    ...(domain && { domain }),
    ...(behindCloudFront && { cloudFront: cloudFrontSettings(node) }),
    ...(firewall && { firewall: { requestsPerAddress: wholeContext(node, 'requestsPerAddress', 10_000, 10) } }),
    adminCidrs,
    privateAdmin,
  };
}

/** Returns a surface's URL if the deployment has its own host names. */
export const ownUrl = ({ domain, privateAdmin }: EdgeSettings, surface: Surface): string | undefined =>
  domain && !(privateAdmin && surface === 'admin') ? `https://${domain.hosts[surface]}` : undefined;

/** Checks whether API Gateway serves a custom host for this surface. If so, the API's default host name is disabled. */
export const servesOwnHost = (edge: EdgeSettings, surface: Route['surface']): boolean =>
  ownUrl(edge, surface) !== undefined && edge.cloudFront === undefined;

/** Returns the console's URL, which is on CloudFront and requires the public admin API [cloud.edge]. */
export const consoleUrl = ({ domain, cloudFront, privateAdmin }: EdgeSettings): string | undefined =>
  domain && cloudFront && !privateAdmin ? `https://${domain.hosts.admin}/console/` : undefined;

function domainSettings(node: Node): DomainSettings | undefined {
  const [name, ...more] = words(
    node,
    'domain',
    /^(?=.{1,200}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    'one domain such as "gateway.example.com"',
  );
  const [hostedZoneId] = words(node, 'hostedZoneId', /^Z[A-Z0-9]+$/, 'the id of a hosted zone such as "Z0123456789"');
  if (name === undefined) return undefined;
  if (more.length > 0) throw new Error('Context "domain" must be one domain: each surface gets a host below it.');
  const hosts = Object.fromEntries(Object.entries(labels).map(([surface, label]) => [surface, `${label}.${name}`]));
  return {
    hosts: hosts as Record<Surface, string>,
    edgeHost: `edge.${name}`,
    certificate: arns(node, 'certificate', 'acm', /^[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/)[0],
    hostedZoneId,
  };
}

function cloudFrontSettings(node: Node): CloudFrontSettings {
  const [certificate] = arns(node, 'edgeCertificate', 'acm', /^us-east-1:\d{12}:certificate\/[\w-]+$/);
  if (certificate === undefined)
    throw new Error('Context "edge=on" needs "edgeCertificate", the ARN of a certificate in us-east-1.');
  const readTimeoutSeconds = wholeContext(node, 'edgeReadTimeoutSeconds', 120, 60);
  return {
    certificate,
    webAcl: arns(node, 'edgeWebAcl', 'wafv2', /^us-east-1:\d{12}:global\/webacl\/[\w-]+\/[\w-]+$/)[0],
    readTimeoutSeconds,
    secretVersions: words(node, 'edgeSecretVersions', /^[\w-]{32,64}$/, 'version ids of the origin secret'),
  };
}

/**
 * Reads networks with their prefix. A web ACL rejects the network of all addresses (`/0`), which would not restrict
 * anything.
 */
const cidrs = (node: Node, key: string): readonly string[] =>
  list(node, key).map((one) => {
    const [address = '', prefix = '', ...rest] = String(one).split('/');
    const version = isIP(address);
    const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) : 0;
    if (version !== 0 && rest.length === 0 && length > 0 && length <= (version === 4 ? 32 : 128)) return String(one);
    throw new Error(
      `Context "${key}" must contain networks such as "203.0.113.0/24", none with prefix length 0, got ${JSON.stringify(one)}.`,
    );
  });
