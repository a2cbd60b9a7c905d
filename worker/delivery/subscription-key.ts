/** Which subscription: ids are unique within a site. */
export interface SubscriptionKey {
  site_id: string;
  subscription_id: string;
}

export const keyText = ({ site_id, subscription_id }: SubscriptionKey) => `${site_id}/${subscription_id}`;
