/** URLs of approvals for callers and channels. */

/** Returns the URL of the list of approvals for API clients, and of a page on how to decide for browsers. */
export const approvalsUrl = (adminUrl: string) => `${adminUrl}/admin/v1/approvals`;

export const approvalUrl = (adminUrl: string, envelopeId: string) => `${approvalsUrl(adminUrl)}/${envelopeId}`;
