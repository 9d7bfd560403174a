/** A stack that a feature adds to a deployment. `features/stacks.ts` lists them. */
import type { App, Environment, Stack } from 'aws-cdk-lib';
import type { Node } from 'constructs';
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import type { AlarmRow } from './alarms/alarm.ts';
import type { Regional } from './own-region.ts';
import type { GatewaySettings } from './settings.ts';
import type { ApiIds } from './surface-api.ts';

export interface AddedStack {
  /** The context keys that the stack reads. */
  readonly contextKeys: readonly string[];
  /**
   * Reads the context keys. @returns undefined for a deployment without the stack. @throws Error for invalid options.
   */
  readonly planned: (node: Node, settings: GatewaySettings) => PlannedStack | undefined;
}

interface PlannedStack {
  /** Last word of the stack's name in CloudFormation. */
  readonly part: string;
  /** Resources that must be in the deployment's region. */
  readonly regional: Regional;
  readonly build: (app: App, props: AddedStackProps) => Stack & { readonly alarms: readonly AlarmRow[] };
}

export interface AddedStackProps {
  readonly settings: GatewaySettings;
  readonly env: Environment;
  readonly stackName: string;
  /** All functions, with the rights that features add. */
  readonly specs: Readonly<Record<FunctionName, FunctionSpec>>;
  /** Environment variables shared by all functions. */
  readonly environment: Readonly<Record<string, string>>;
  readonly apis: ApiIds;
}
