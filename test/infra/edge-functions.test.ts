/**
 * Routing and content served by CloudFront, from the synthesized template: the shared address of all surfaces, and the
 * console. The code of its functions runs here as in CloudFront: strict ECMAScript 5.1 without modules, Node's objects
 * or code from strings.
 */
import { runInNewContext } from 'node:vm';
import type { Template } from 'aws-cdk-lib/assertions';
import { transformSync } from 'esbuild';
import { consoleHeaders } from '#core/contracts/console.ts';
import { everyRoutedPath, routedPaths, strayPaths } from '../support/edge-paths.ts';
import type { Loose } from '../support/loose.ts';
import { privateAdmin, withNetworks } from './contexts.ts';
import { ofType, reference, synthesize } from './synthesized.ts';

const { edge } = synthesize(withNetworks);
const inside = synthesize(privateAdmin);

const only = (template: Template, type: string): Loose[] =>
  Object.values(ofType(template, type)).map(({ Properties }) => Properties);

/** A distribution as CloudFront interprets it: the first matching pattern, then its function. */
class Served {
  private readonly config: Loose;
  private readonly template: Template;

  constructor(template: Template, label: string) {
    this.template = template;
    this.config = only(template, 'AWS::CloudFront::Distribution')
      .map(({ DistributionConfig }) => DistributionConfig)
      .find(({ Aliases }) => Aliases[0] === `${label}.gateway.example.com`) as Loose;
  }

  get behaviors(): Loose[] {
    return this.config.CacheBehaviors ?? [];
  }

  /**
   * @param matched the path that is compared with the patterns: CloudFront resolves it for matching, and passes on the
   * original.
   */
  asked(url: string, matched = url.split('?')[0]!): { status: number } | { origin: string; path: string } | Loose {
    const [path = '', query] = url.split(/\?(.*)/s);
    const behavior =
      this.behaviors.find(({ PathPattern }) => fits(PathPattern, matched)) ?? this.config.DefaultCacheBehavior;
    const done = this.run(behavior, path);
    if (done.statusCode) return done;
    const { DomainName, OriginPath = '' } = this.config.Origins.find(
      ({ Id }: Loose) => Id === behavior.TargetOriginId,
    ) as Loose;
    return {
      origin: reference(DomainName),
      path: `${OriginPath}${done.uri}${query === undefined ? '' : `?${query}`}`,
      headers: done.headers,
    };
  }

  private run({ FunctionAssociations: [{ FunctionARN }] }: Loose, uri: string): Loose {
    const id = FunctionARN['Fn::GetAtt'][0];
    const { FunctionCode, FunctionConfig } = ofType(this.template, 'AWS::CloudFront::Function')[id]!.Properties;
    expect(FunctionConfig.Runtime).toBe('cloudfront-js-2.0');
    const event = {
      viewer: { ip: '198.51.100.7' },
      request: { uri, headers: { host: { value: 'edge.gateway.example.com' }, 'x-gateway-client': { value: '::1' } } },
    };
    const ran = runInNewContext(
      `'use strict';\n${FunctionCode}\nJSON.stringify(handler(event))`,
      { event },
      { contextCodeGeneration: { strings: false, wasm: false } },
    );
    return JSON.parse(ran) as Loose;
  }
}

const fits = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 's').test(path);

/** Resolves a path according to RFC 3986: dot segments are removed, unreserved characters are decoded. */
const resolved = (url: string): string =>
  new URL(`https://edge.example${url.startsWith('/') ? url : `/${url}`}`).pathname.replaceAll(
    /%(?:4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a]|3\d|2d|2e|5f|7e)/gi,
    (code) => decodeURIComponent(code),
  );

const names = { gateway: /\{.*GatewayApi/, admin: /\{.*AdminApi/, mcp: /\{.*McpApi/ };

describe('[cloud.edge] the shared host for all surfaces', () => {
  const address = new Served(edge!, 'edge');

  it.each(routedPaths)(
    '[edge.listeners] routes %s to %s as %s, with the same test vectors as the local edge',
    (url, upstream, path) => {
      for (const matched of [undefined, resolved(url)]) {
        const done = address.asked(url, matched) as Loose;
        expect(done.origin).toMatch(names[upstream]);
        expect(done.path).toBe(`/gateway${path}`);
        expect(done.headers).toMatchObject({
          'x-gateway-client': { value: '198.51.100.7' },
          'x-gateway-host': { value: 'edge.gateway.example.com' },
        });
      }
    },
  );

  it('[edge.listeners] routes every entry of the table to its API', () => {
    for (const [url, upstream, path] of everyRoutedPath) {
      const done = address.asked(url) as Loose;
      // The WebSocket API has no paths.
      if (path === '/v1/ws') continue;
      expect([url, done.path]).toEqual([url, `/gateway${path}`]);
      expect(done.origin).toMatch(names[upstream]);
    }
  });

  it.each(strayPaths)('[edge.listeners] serves no page at %s, regardless of the behavior CloudFront chooses', (url) => {
    for (const matched of [undefined, resolved(url), '/api/x', '/admin/x', '/mcp', '/x']) {
      const done = address.asked(url, matched) as Loose;
      expect(done).toMatchObject({ statusCode: 404, headers: { 'content-type': { value: 'application/json' } } });
      expect(JSON.parse(done.body.data)).toMatchObject({ error: { code: 404, type: 'not_found' } });
    }
  });

  it('never passes a path for one surface to another, even if CloudFront matched the wrong pattern', () => {
    for (const [url, upstream] of routedPaths)
      for (const [other, matched] of Object.entries({ gateway: '/api/x', admin: '/admin/x', mcp: '/mcp' }))
        if (other !== upstream) expect(address.asked(url, matched)).toMatchObject({ statusCode: 404 });
  });

  it('routes WebSocket connections to the stage of the WebSocket API', () => {
    expect(address.asked('/api/v1/ws')).toMatchObject({
      origin: expect.stringContaining('WebSocketApi'),
      path: '/gateway',
    });
  });

  it('does not expose a private admin API', () => {
    const without = new Served(inside.edge!, 'edge');
    expect(without.asked('/admin/v1/whoami')).toMatchObject({ statusCode: 404 });
    expect((without.asked('/mcp') as Loose).origin).toMatch(names.mcp);
    expect(only(inside.edge!, 'AWS::S3::Bucket')).toEqual([]);
    expect(inside.edge!.toJSON().Outputs.ConsoleUrl).toBeUndefined();
  });
});

describe('[cloud.edge] the console and the admin API on the same host', () => {
  const admin = new Served(edge!, 'admin');
  const [{ BucketEncryption, PublicAccessBlockConfiguration }] = only(edge!, 'AWS::S3::Bucket') as [Loose];
  const behavior = admin.behaviors.find(({ PathPattern }) => PathPattern === '/console/*') as Loose;

  it('the console is served at /console/, and the API at all other paths', () => {
    expect(admin.asked('/console')).toMatchObject({ statusCode: 308, headers: { location: { value: '/console/' } } });
    for (const [path, file] of [
      ['/console/', '/index.html'],
      ['/console/console.js', '/console.js'],
      ['/console/chunk-AB12CD34.js?x=1', '/chunk-AB12CD34.js?x=1'],
      ['/console/style.css', '/style.css'],
    ] as const)
      expect(admin.asked(path)).toMatchObject({ origin: expect.stringContaining('ConsoleBucket'), path: file });
    for (const path of ['/admin/v1/whoami', '/consoles', '/health'])
      expect((admin.asked(path) as Loose).origin).toMatch(names.admin);
    for (const path of ['/console/../x.js', '/console/a/b.js', '/console/%2e%2e', '/console/x.map', '/console/sign-in'])
      expect(admin.asked(path)).toMatchObject({ statusCode: 404 });
  });

  it('only this distribution can read the private console bucket, with signed requests', () => {
    expect(BucketEncryption).toBeDefined();
    expect(Object.values(PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
    const statements = only(edge!, 'AWS::S3::BucketPolicy')[0]!.PolicyDocument.Statement as Loose[];
    const allowed = statements.filter(({ Effect }) => Effect === 'Allow');
    expect(allowed).toHaveLength(1);
    expect(allowed[0]).toMatchObject({
      Action: 's3:GetObject',
      Principal: { Service: 'cloudfront.amazonaws.com' },
      Condition: { StringEquals: { 'AWS:SourceArn': expect.anything() } },
    });
    expect(JSON.stringify(allowed[0]!.Condition)).toContain('Distributionsadmin');
    expect(only(edge!, 'AWS::CloudFront::OriginAccessControl')[0]!.OriginAccessControlConfig).toMatchObject({
      SigningBehavior: 'always',
      SigningProtocol: 'sigv4',
    });
  });

  it('[console.policy] the console has the same headers as on the local host', () => {
    const [{ ResponseHeadersPolicyConfig: policy }] = only(edge!, 'AWS::CloudFront::ResponseHeadersPolicy') as [Loose];
    const { ContentSecurityPolicy, FrameOptions, ReferrerPolicy, ContentTypeOptions } = policy.SecurityHeadersConfig;
    expect({
      'content-security-policy': ContentSecurityPolicy.ContentSecurityPolicy,
      'x-frame-options': FrameOptions.FrameOption,
      'referrer-policy': ReferrerPolicy.ReferrerPolicy,
      ...Object.fromEntries(policy.CustomHeadersConfig.Items.map(({ Header, Value }: Loose) => [Header, Value])),
    }).toEqual(consoleHeaders);
    expect(ContentTypeOptions).toEqual({ Override: true });
    expect(behavior.ResponseHeadersPolicyId).toBeDefined();
  });

  it('only GET and HEAD reach the bucket, without headers, cookies or queries', () => {
    expect(behavior).toMatchObject({
      AllowedMethods: ['GET', 'HEAD'],
      Compress: true,
      ViewerProtocolPolicy: 'redirect-to-https',
      CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6',
    });
    expect(behavior.OriginRequestPolicyId).toBeUndefined();
  });

  it('[console.cached] the built files are uploaded: chunks first and cached permanently, other files revalidated on each visit', () => {
    const files = only(edge!, 'Custom::CDKBucketDeployment');
    const common = { Prune: false, RetainOnDelete: false };
    expect(files).toHaveLength(2);
    expect(files).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...common,
          Exclude: ['*'],
          Include: ['chunk-*'],
          SystemMetadata: { 'cache-control': 'public, max-age=31536000, immutable' },
        }),
        expect.objectContaining({
          ...common,
          Exclude: ['chunk-*'],
          SystemMetadata: { 'cache-control': 'no-cache' },
        }),
      ]),
    );
    const [[, page]] = Object.entries(
      edge!.findResources('Custom::CDKBucketDeployment', { Properties: { Exclude: ['chunk-*'] } }),
    ) as [[string, Loose]];
    expect(JSON.stringify(page.DependsOn)).toContain('HashedFiles');
    expect(edge!.toJSON().Outputs.ConsoleUrl.Value).toBe('https://admin.gateway.example.com/console/');
  });
});

test('[cloud.edge] the functions are ECMAScript 5.1, use no modules, and stay under the 10 kB limit', () => {
  const codes = only(edge!, 'AWS::CloudFront::Function').map(({ FunctionCode }) => FunctionCode as string);
  expect(codes.length).toBeGreaterThan(5);
  for (const code of codes) {
    expect(Buffer.byteLength(code)).toBeLessThan(10_240);
    expect(transformSync(code, { target: 'es5' }).code).toBe(transformSync(code, { target: 'esnext' }).code);
    expect(code).not.toMatch(/\b(?:import|require|eval|Function|fetch|setTimeout|process)\b\s*[( ]/);
  }
});
