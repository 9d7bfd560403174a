/**
 * CloudFront behaviors for an API: caching and compression are off, every header except `Host` is passed on, and
 * streams are not buffered.
 */
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
import { apiStageName } from './surface-api.ts';

/** Returns the behavior for a REST API stage, with the secret that proves that a call comes from CloudFront. */
export const restBehavior = (scope: Construct, apiId: string, settings: CloudFrontSettings, originValue: string) =>
  behavior(scope, apiId, settings, {
    originPath: `/${apiStageName}`,
    customHeaders: { [edgeHeaders.origin]: originValue },
  });

/** Returns the behavior without that secret, which the WebSocket API could not check. */
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
