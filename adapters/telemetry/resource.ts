/** Attributes shared by all of this process's spans (OpenTelemetry resource). */
import packageJson from '#package' with { type: 'json' };

export type ResourceAttributes = Readonly<Record<string, string | readonly string[]>>;

export const instrumentation = { name: packageJson.name, version: packageJson.version } as const;

/** @param environment a function's environment, which includes the function's region and name. */
export function resourceAttributes(serviceName: string, environment: NodeJS.ProcessEnv = {}): ResourceAttributes {
  const { AWS_LAMBDA_FUNCTION_NAME: name, AWS_REGION: region, AWS_LAMBDA_LOG_GROUP_NAME: group } = environment;
  return {
    'service.name': serviceName,
    'service.version': packageJson.version,
    'telemetry.sdk.name': packageJson.name,
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': packageJson.version,
    ...(name && { 'cloud.provider': 'aws', 'cloud.platform': 'aws_lambda', 'faas.name': name }),
    ...(region && { 'cloud.region': region }),
    ...(group && { 'aws.log.group.names': [group] }),
  };
}
