/**
 * Names that must be unique in an account over all regions: they contain the deployment and its region, like those of
 * roles [cloud.name].
 */
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/**
 * @param what letters, digits and dashes; with the longest names of a deployment and a region, 64 characters leave 22
 * for it.
 */
export const nameOfAccount = (scope: Construct, deployment: string, what: string): string =>
  `${deployment}-${what}-${Stack.of(scope).region}`;
