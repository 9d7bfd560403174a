/**
 * Accepts a finding from the AwsSolutions rules for a construct and its children, by its exact id and with a reason.
 * Any other finding stops `npm run synth`.
 */
import { Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

export function accept(scope: Construct, findings: Readonly<Record<string, string>>): void {
  for (const [id, reason] of Object.entries(findings)) Validations.of(scope).acknowledge({ id, reason });
}
