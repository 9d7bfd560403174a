/** Warnings about the active configuration that concern every tenant. */
import type { Configuration } from '#core/contracts/config.ts';
import type { ToolPolicyDocument } from '#core/contracts/tool-policy.ts';
import { filtersWithoutModule } from '#core/models/content-policy/wasm-modules.ts';
import { unknownProtocols } from '#core/policy/rules/protocols.ts';
import { containmentWarnings } from '../checks/containment-warnings.ts';
import { disabledGuards } from '../load/policy-document.ts';

export interface ActivePolicy {
  readonly configuration: Configuration;
  readonly policyDocument: ToolPolicyDocument;
}

export const commonWarnings = ({ configuration, policyDocument }: ActivePolicy): string[] => [
  ...disabledGuards(configuration),
  ...unknownProtocols(policyDocument),
  ...filtersWithoutModule(configuration),
  ...containmentWarnings(configuration),
];
