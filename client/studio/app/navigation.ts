import {
  type Icon,
  IconAlertTriangle,
  IconBriefcase,
  IconChartBar,
  IconClipboardList,
  IconCreditCard,
  IconDirections,
  IconHome,
  IconInbox,
  IconKey,
  IconMail,
  IconPhoto,
  IconQuote,
  IconRefresh,
  IconSend,
  IconSettings,
  IconSparkles,
  IconTag,
  IconTransfer,
  IconTrash,
  IconUserCheck,
  IconUserCircle,
  IconUsers,
  IconUsersGroup,
  IconWallet,
  IconWebhook,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Resource } from '../../../shared/contract/resource.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import { type Area, opens } from '../../../shared/contract/roles.ts';
import { useApi } from '../data/api.tsx';
import { useRole } from '../data/permissions.ts';
import { hasOutboxQuery } from '../data/queries.ts';
import { capitalised } from '../strings/names.ts';
import { strings } from '../strings/ui-strings.ts';
import { iconOf } from '../ui/collection-icon.ts';

export interface NavigationItem {
  label: string;
  /** Path below `/studio`. */
  path: string;
  icon: Icon;
  /** Area of the service; the item is shown to roles that may read it. */
  area: Area;
  /** Paths of further screens that belong to this item. */
  others?: string[];
  /** Shown only if the service stores mail in an outbox instead of sending it. */
  needsOutbox?: true;
}

export interface NavigationGroup {
  label: string | null;
  items: NavigationItem[];
  /** True if the group is folded until the user opens it. */
  isFolded?: true;
}

const { groups } = strings.navigation;
const all = Object.values<Resource>(resources);
const navigationItemOf = ({ collection }: Resource): NavigationItem => ({
  label: capitalised(collection),
  path: `/${collection}`,
  icon: iconOf(collection),
  area: 'content',
});

/** All items of the sidebar by task. Content items come from the contract. */
const navigation: readonly NavigationGroup[] = [
  {
    label: null,
    items: [{ label: strings.navigation.overview, path: '/', icon: IconHome, area: 'account' }],
  },
  {
    label: groups.write,
    items: [
      ...all.filter(({ labels }) => !labels.screen).map(navigationItemOf),
      {
        label: strings.cv.title,
        path: '/cv',
        icon: IconBriefcase,
        area: 'content',
        others: all.filter(({ labels }) => labels.screen === 'cv').map(({ collection }) => `/${collection}`),
      },
    ],
  },
  {
    label: groups.audience,
    items: [
      { label: strings.analytics.title, path: '/analytics', icon: IconChartBar, area: 'analytics' },
      { label: strings.members.title, path: '/members', icon: IconUsers, area: 'audience' },
      { label: strings.subscribers.title, path: '/subscribers', icon: IconMail, area: 'newsletter' },
      { label: strings.newsletters.title, path: '/newsletters', icon: IconSend, area: 'newsletter' },
      { label: strings.testimonials.title, path: '/testimonials', icon: IconQuote, area: 'audience' },
      { label: strings.enrollments.title, path: '/enrollments', icon: IconUserCheck, area: 'audience' },
    ],
  },
  {
    label: groups.selling,
    isFolded: true,
    items: [
      { label: strings.offers.title, path: '/offers', icon: IconTag, area: 'site' },
      { label: strings.purchases.title, path: '/purchases', icon: IconCreditCard, area: 'audience' },
      { label: strings.memberships.title, path: '/memberships', icon: IconRefresh, area: 'audience' },
      { label: strings.attention.title, path: '/attention', icon: IconAlertTriangle, area: 'audience' },
      { label: strings.payments.title, path: '/payments', icon: IconWallet, area: 'site' },
    ],
  },
  {
    label: groups.site,
    items: [
      { label: strings.site.title, path: '/settings', icon: IconSettings, area: 'site' },
      { label: strings.profile.title, path: '/profile', icon: IconUserCircle, area: 'publish' },
      { label: strings.media.title, path: '/media', icon: IconPhoto, area: 'media' },
      { label: strings.assistants.title, path: '/tools/assistants', icon: IconSparkles, area: 'account' },
    ],
  },
  {
    label: groups.developers,
    isFolded: true,
    items: [
      { label: strings.keys.title, path: '/tools/api-keys', icon: IconKey, area: 'site' },
      { label: strings.webhooks.title, path: '/tools/webhooks', icon: IconWebhook, area: 'site' },
    ],
  },
  {
    label: groups.more,
    isFolded: true,
    items: [
      { label: strings.people.title, path: '/people', icon: IconUsersGroup, area: 'site' },
      { label: strings.outbox.title, path: '/outbox', icon: IconInbox, area: 'site', needsOutbox: true },
      { label: strings.redirects.title, path: '/redirects', icon: IconDirections, area: 'publish' },
      { label: strings.importExport.title, path: '/import-export', icon: IconTransfer, area: 'site' },
      { label: strings.activity.title, path: '/tools/activity', icon: IconClipboardList, area: 'site' },
      { label: strings.trash.title, path: '/trash', icon: IconTrash, area: 'content' },
    ],
  },
];

/** Returns the items of the sidebar that the user's role may open. */
export function useNavigation(): readonly NavigationGroup[] {
  const role = useRole();
  const outbox = hasOutboxQuery(useApi());
  const { data: hasOutbox } = useQuery({ ...outbox, enabled: opens(role, 'site', false) });
  return navigation.flatMap((group) => {
    const items = group.items.filter(
      ({ area, needsOutbox }) => opens(role, area, false) && (!needsOutbox || hasOutbox),
    );
    return items.length > 0 ? [{ ...group, items }] : [];
  });
}

/** True if a path is the item's, or below one of its paths. */
export const isAt = ({ path, others = [] }: NavigationItem, current: string): boolean =>
  [path, ...others].some((own) => current === own || (own !== '/' && current.startsWith(`${own}/`)));
