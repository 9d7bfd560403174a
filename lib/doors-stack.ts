/** What the world meets: functions and their roles, the two HTTP surfaces, the clocks, the projection. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type FunctionName, functions } from '#core/contracts/functions.ts';
import { routes } from '#core/contracts/routes.ts';
import type { Watched } from './alarms.ts';
import { ApiLogging } from './api-logging.ts';
import { Approvals } from './approvals.ts';
import { DeadLetters } from './dead-letters.ts';
import { functionEnvironment } from './environment.ts';
import { GatewayFunction } from './gateway-function.ts';
import { Projection } from './projection.ts';
import { RestSurface } from './rest-surface.ts';
import { Schedules } from './schedules.ts';
import type { GatewaySettings } from './settings.ts';
import type { GatewayStores } from './stores-stack.ts';

export interface GatewayDoorsProps extends StackProps {
  readonly settings: GatewaySettings;
  readonly stores: GatewayStores;
}

const names = Object.keys(functions) as FunctionName[];

export class GatewayDoors extends Stack {
  readonly watched: Watched;

  constructor(scope: Construct, id: string, props: GatewayDoorsProps) {
    super(scope, id, props);
    const { settings, stores } = props;
    const logging = new ApiLogging(this, 'ApiLogging');
    const admin = new RestSurface(this, 'Admin', { surface: 'admin', settings });
    const callbacks = new RestSurface(this, 'Callbacks', { surface: 'callbacks', settings });
    const deadLetters = new DeadLetters(this, 'DeadLetters', { settings }).queue;

    const environment = functionEnvironment(this, settings, stores, admin.api.restApiId);
    const made = this.functions(
      (name) => new GatewayFunction(this, name, { name, settings, stores, environment }).function,
    );

    for (const surface of [admin, callbacks]) surface.api.deploymentStage.node.addDependency(logging);
    admin.addRoutes(
      routes.filter(({ surface }) => surface === 'admin'),
      made,
    );
    callbacks.addRoutes(
      routes.filter(({ surface }) => surface === 'callbacks'),
      made,
    );
    const { stateMachine } = new Approvals(this, 'Approvals', { settings, steps: made['approval-steps'] });
    new Schedules(this, 'Schedules', { functions: made, deadLetters });
    new Projection(this, 'Projection', { source: stores.tables.evidence, projector: made.project, deadLetters });

    this.watched = { functions: made, apis: { admin: admin.api, callbacks: callbacks.api }, stateMachine, deadLetters };
    this.outputs({ AdminUrl: environment.ADMIN_URL!, AdminApiId: admin.api.restApiId });
    this.outputs({ CallbacksUrl: callbacks.api.url, CallbacksApiId: callbacks.api.restApiId });
    this.outputs({ ApprovalStateMachineArn: stateMachine.stateMachineArn });
  }

  private functions<T>(make: (name: FunctionName) => T): Record<FunctionName, T> {
    return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<FunctionName, T>;
  }

  private outputs(values: Record<string, string>): void {
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value });
  }
}
