import { useQuery } from '@tanstack/react-query';
import type { Resource } from '../../../shared/contract/resource.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import { useApi } from '../data/api.tsx';
import { hasOutboxQuery } from '../data/queries.ts';
import { capitalised } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { iconOf } from '../ui/collection-icon.ts';
import {
  type Icon,
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
  IconSend,
  IconSettings,
  IconSparkles,
  IconTransfer,
  IconTrash,
  IconUserCheck,
  IconUserCircle,
  IconUsers,
  IconWebhook,
} from '../ui/icons.ts';

export interface NavigationItem {
  label: string;
  /** Below `/studio`. */
  path: string;
  icon: Icon;
  /** Paths of screens that are found from this one. */
  others?: string[];
  /** It is there only where mail is kept rather than sent. */
  needsOutbox?: true;
}

export interface PlaceGroup {
  label: string | null;
  places: NavigationItem[];
  /** Whether it is opened first, since few need it often. */
  isFolded?: true;
}

const { groups } = texts.navigation;
const all = Object.values<Resource>(resources);
const placeOf = ({ collection }: Resource): NavigationItem => ({
  label: capitalised(collection),
  path: `/${collection}`,
  icon: iconOf(collection),
});

/** Everything that the sidebar may lead to, by what one does there; what content there is comes from the contract. */
const navigation: readonly PlaceGroup[] = [
  { label: null, places: [{ label: texts.navigation.overview, path: '/', icon: IconHome }] },
  {
    label: groups.write,
    places: [
      ...all.filter(({ words }) => !words.screen).map(placeOf),
      {
        label: texts.cv.title,
        path: '/cv',
        icon: IconBriefcase,
        others: all.filter(({ words }) => words.screen === 'cv').map(({ collection }) => `/${collection}`),
      },
    ],
  },
  {
    label: groups.audience,
    places: [
      { label: texts.analytics.title, path: '/analytics', icon: IconChartBar },
      { label: texts.members.title, path: '/members', icon: IconUsers },
      { label: texts.subscribers.title, path: '/subscribers', icon: IconMail },
      { label: texts.newsletters.title, path: '/newsletters', icon: IconSend },
      { label: texts.outbox.title, path: '/outbox', icon: IconInbox, needsOutbox: true },
      { label: texts.testimonials.title, path: '/testimonials', icon: IconQuote },
      { label: texts.purchases.title, path: '/purchases', icon: IconCreditCard },
      { label: texts.enrollments.title, path: '/enrollments', icon: IconUserCheck },
    ],
  },
  {
    label: groups.site,
    places: [
      { label: texts.site.title, path: '/settings', icon: IconSettings },
      { label: texts.profile.title, path: '/profile', icon: IconUserCircle },
      { label: texts.media.title, path: '/media', icon: IconPhoto },
    ],
  },
  {
    label: groups.developers,
    isFolded: true,
    places: [
      { label: texts.keys.title, path: '/tools/api-keys', icon: IconKey },
      { label: texts.webhooks.title, path: '/tools/webhooks', icon: IconWebhook },
      { label: texts.assistants.title, path: '/tools/assistants', icon: IconSparkles },
    ],
  },
  {
    label: groups.more,
    isFolded: true,
    places: [
      { label: texts.redirects.title, path: '/redirects', icon: IconDirections },
      { label: texts.importExport.title, path: '/import-export', icon: IconTransfer },
      { label: texts.activity.title, path: '/tools/activity', icon: IconClipboardList },
      { label: texts.trash.title, path: '/trash', icon: IconTrash },
    ],
  },
];

const withoutOutbox = navigation.map((group) => ({
  ...group,
  places: group.places.filter(({ needsOutbox }) => !needsOutbox),
}));

/** What the sidebar leads to here. */
export function useNavigation(): readonly PlaceGroup[] {
  const { data: hasOutbox } = useQuery(hasOutboxQuery(useApi()));
  return hasOutbox ? navigation : withoutOutbox;
}

/** Whether a path is this place, or one of what it leads to. */
export const isAt = ({ path, others = [] }: NavigationItem, current: string): boolean =>
  [path, ...others].some((own) => current === own || (own !== '/' && current.startsWith(`${own}/`)));
