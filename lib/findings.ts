/**
 * How a construct accepts a finding of the AwsSolutions rules: by its exact id, with its reason, for itself and what
 * lies below it. A finding that is not accepted stops `npm run synth`.
 */
import { Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

export function accept(scope: Construct, findings: Readonly<Record<string, string>>): void {
  for (const [id, reason] of Object.entries(findings)) Validations.of(scope).acknowledge({ id, reason });
}
