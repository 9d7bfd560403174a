/** How CloudFront reaches an API: nothing is cached or compressed, every header but `Host` goes on, and a stream flows as it is written. */
import { Duration, Stack } from 'aws-cdk-lib';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, type HttpOriginProps } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { Construct } from 'constructs';
import { edgeHeaders } from '#core/contracts/edge.ts';
import type { CloudFrontSettings } from './edge-settings.ts';
import { apiStageName } from './rest-surface.ts';

/** A REST API at its stage, with what proves that CloudFront calls. */
export const restBehavior = (scope: Construct, apiId: string, settings: CloudFrontSettings, originValue: string) =>
  behavior(scope, apiId, settings, {
    originPath: `/${apiStageName}`,
    customHeaders: { [edgeHeaders.origin]: originValue },
  });

/** The WebSocket API could not ask for the proof, so it gets none. */
export const webSocketBehavior = (scope: Construct, apiId: string, settings: CloudFrontSettings) =>
  behavior(scope, apiId, settings, {});

function behavior(
  scope: Construct,
  apiId: string,
  { readTimeoutSeconds }: CloudFrontSettings,
  further: Pick<HttpOriginProps, 'originPath' | 'customHeaders'>,
): BehaviorOptions {
  const { region, urlSuffix } = Stack.of(scope);
  return {
    origin: new HttpOrigin(`${apiId}.execute-api.${region}.${urlSuffix}`, {
      ...further,
      protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
      originSslProtocols: [OriginSslPolicy.TLS_V1_2],
      readTimeout: Duration.seconds(readTimeoutSeconds),
      keepaliveTimeout: Duration.seconds(60),
    }),
    viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    allowedMethods: AllowedMethods.ALLOW_ALL,
    cachePolicy: CachePolicy.CACHING_DISABLED,
    originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    compress: false,
  };
}
