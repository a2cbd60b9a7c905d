import type { ApiClient, OutputOf } from '../../../sdk/index.ts';
import { strings } from '../../strings/ui-strings.ts';
import { Dot } from '../../ui/dot.tsx';

export type Webhook = OutputOf<ApiClient['admin']['webhooks']['list']>['data'][number];

export function WebhookState({ webhook: { active, consecutive_failures } }: { webhook: Webhook }) {
  if (!active) {
    const label = consecutive_failures > 0 ? strings.webhooks.switchedOff : strings.common.off;
    return <Dot tone={consecutive_failures > 0 ? 'bad' : 'off'} label={label} />;
  }
  if (consecutive_failures > 0) {
    return <Dot tone="waiting" label={strings.webhooks.failing(consecutive_failures)} />;
  }
  return <Dot tone="good" label={strings.common.on} />;
}
