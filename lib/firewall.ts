/**
 * A web ACL for this region's REST APIs [cloud.firewall]. It is regional so that it also inspects calls that bypass
 * CloudFront. Bodies contain prompts, SQL and shell text, so rules that inspect bodies only count matches. Samples and
 * logs are off, because both include headers, which contain keys; each rule's metrics show its effect.
 */
import { CfnIPSet, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { edgeHeaders } from '#core/contracts/edge.ts';
import { errorKinds } from '#core/kernel/errors.ts';
import type { FirewallSettings } from './edge-settings.ts';

type Rule = CfnWebACL.RuleProperty;
type Statement = CfnWebACL.StatementProperty;

interface FirewallProps extends FirewallSettings {
  /** The ACL's name in the account and region. */
  readonly name: string;
  /** Secrets that CloudFront sends. If undefined, callers connect directly, and their own address is used. */
  readonly originValues: readonly string[] | undefined;
  /** Networks that may call; if empty, all networks. */
  readonly cidrs: readonly string[];
  /** ARNs of REST API stages. */
  readonly stages: readonly string[];
}

/** AWS rules that inspect bodies, or that match legitimate behavior of agent clients. They only count matches. */
const rulesThatOnlyCount: Readonly<Record<string, readonly string[]>> = {
  AWSManagedRulesCommonRuleSet: [
    ...[
      'SizeRestrictions_BODY',
      'EC2MetaDataSSRF_BODY',
      'GenericLFI_BODY',
      'GenericRFI_BODY',
      'CrossSiteScripting_BODY',
    ],
    // Programs need no User-Agent, and a path may end with a session id that looks like a file name.
    ...['NoUserAgent_HEADER', 'RestrictedExtensions_URIPATH'],
  ],
  AWSManagedRulesKnownBadInputsRuleSet: [...['JavaDeserializationRCE_BODY', 'Log4JRCE_BODY', 'ReactJSRCE_BODY']],
};

export class Firewall extends Construct {
  constructor(scope: Construct, id: string, props: FirewallProps) {
    super(scope, id);
    const { name, originValues, cidrs, stages } = props;
    const acl = new CfnWebACL(this, 'Acl', {
      name,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibilityConfig(name),
      customResponseBodies: {
        limited: {
          contentType: 'APPLICATION_JSON',
          content: JSON.stringify({
            error: {
              code: errorKinds.rate_limit_error.status,
              type: 'rate_limit_error',
              message: 'Too many requests came from this address; a few minutes later it may call again.',
            },
          }),
        },
      },
      rules: [
        ...(originValues ? [blockRule('origin', negate(anyOf(originValues.map(isOriginValue))))] : []),
        ...(cidrs.length > 0
          ? [blockRule('networks', negate(anyOf(this.#within(name, cidrs, originValues !== undefined))))]
          : []),
        perAddress(props),
        // With CloudFront, the list would be applied to CloudFront's addresses.
        ...(originValues ? [] : [managedRule('AWSManagedRulesAmazonIpReputationList')]),
        ...Object.keys(rulesThatOnlyCount).map(managedRule),
      ].map((rule, priority) => ({ ...rule, priority })),
    });
    stages.forEach((resourceArn, at) => {
      new CfnWebACLAssociation(this, `Stage${at}`, { resourceArn, webAclArn: acl.attrArn });
    });
  }

  /** Matches addresses, with one set per IP version. */
  #within(name: string, cidrs: readonly string[], forwarded: boolean): Statement[] {
    return (['IPV4', 'IPV6'] as const).flatMap((ipAddressVersion) => {
      const addresses = cidrs.filter((cidr) => cidr.includes(':') === (ipAddressVersion === 'IPV6'));
      if (addresses.length === 0) return [];
      const set = new CfnIPSet(this, ipAddressVersion, {
        name: `${name}-${ipAddressVersion.toLowerCase()}`,
        scope: 'REGIONAL',
        ipAddressVersion,
        addresses,
      });
      const ipSetForwardedIpConfig = {
        headerName: edgeHeaders.client,
        fallbackBehavior: 'NO_MATCH',
        position: 'FIRST',
      };
      return [{ ipSetReferenceStatement: { arn: set.attrArn, ...(forwarded && { ipSetForwardedIpConfig }) } }];
    });
  }
}

const visibilityConfig = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});

const blockRule = (name: string, statement: Statement): Omit<Rule, 'priority'> => ({
  name,
  statement,
  action: { block: {} },
  visibilityConfig: visibilityConfig(name),
});

const negate = (statement: Statement): Statement => ({ notStatement: { statement } });

/** Combines statements: AWS requires at least two in an `or`. */
const anyOf = (statements: readonly Statement[]): Statement =>
  statements.length === 1 ? statements[0]! : { orStatement: { statements: [...statements] } };

const isOriginValue = (searchString: string): Statement => ({
  byteMatchStatement: {
    fieldToMatch: { singleHeader: { Name: edgeHeaders.origin } },
    positionalConstraint: 'EXACTLY',
    searchString,
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
});

const perAddress = ({ requestsPerAddress, originValues }: FirewallProps): Omit<Rule, 'priority'> => ({
  name: 'rate',
  statement: {
    rateBasedStatement: {
      limit: requestsPerAddress,
      evaluationWindowSec: 300,
      ...(originValues
        ? {
            aggregateKeyType: 'FORWARDED_IP',
            forwardedIpConfig: { headerName: edgeHeaders.client, fallbackBehavior: 'MATCH' },
          }
        : { aggregateKeyType: 'IP' }),
    },
  },
  action: {
    block: {
      customResponse: {
        responseCode: errorKinds.rate_limit_error.status,
        customResponseBodyKey: 'limited',
        responseHeaders: [{ name: 'Retry-After', value: '300' }],
      },
    },
  },
  visibilityConfig: visibilityConfig('rate'),
});

const managedRule = (name: string): Omit<Rule, 'priority'> => ({
  name,
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name,
      ruleActionOverrides: (rulesThatOnlyCount[name] ?? []).map((rule) => ({ name: rule, actionToUse: { count: {} } })),
    },
  },
  overrideAction: { none: {} },
  visibilityConfig: visibilityConfig(name),
});
