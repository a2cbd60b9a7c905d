import type { Resource } from '../../../shared/contract/resource.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import { capitalised } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import {
  type Icon,
  IconBook,
  IconBriefcase,
  IconCertificate,
  IconClipboardList,
  IconCreditCard,
  IconFileText,
  IconHome,
  IconKey,
  IconMail,
  IconNews,
  IconPhoto,
  IconPresentation,
  IconQuote,
  IconRocket,
  IconSchool,
  IconSettings,
  IconSparkles,
  IconStack2,
  IconStar,
  IconTransfer,
  IconTrash,
  IconUserCheck,
  IconUserCircle,
  IconUsers,
  IconWebhook,
} from '../ui/icons.ts';

export interface Place {
  label: string;
  /** Below `/studio`. */
  path: string;
  icon: Icon;
}

interface Group {
  label: string | null;
  places: Place[];
}

/** Collections without an icon of their own get one that stands for anything. */
const icons: Record<string, Icon> = {
  posts: IconNews,
  pages: IconFileText,
  projects: IconRocket,
  courses: IconBook,
  talks: IconPresentation,
  experience: IconBriefcase,
  education: IconSchool,
  skills: IconStar,
  certifications: IconCertificate,
};

export const iconOf = (collection: string): Icon => icons[collection] ?? IconStack2;

/** Whether its records have an address of their own: these are written, all others are entries of a list. */
const hasAddress = ({ fields }: Pick<Resource, 'fields'>) => 'slug' in fields;

const { groups } = texts.navigation;
const all = Object.values<Resource>(resources);
const placeOf = ({ collection }: Resource): Place => ({
  label: capitalised(collection),
  path: `/${collection}`,
  icon: iconOf(collection),
});

/** Everything that the sidebar leads to; what content there is comes from the contract. */
export const navigation: readonly Group[] = [
  { label: null, places: [{ label: texts.navigation.overview, path: '/', icon: IconHome }] },
  { label: groups.content, places: all.filter(hasAddress).map(placeOf) },
  { label: groups.career, places: all.filter((resource) => !hasAddress(resource)).map(placeOf) },
  {
    label: groups.audience,
    places: [
      { label: texts.members.title, path: '/members', icon: IconUsers },
      { label: texts.subscribers.title, path: '/subscribers', icon: IconMail },
      { label: texts.testimonials.title, path: '/testimonials', icon: IconQuote },
      { label: texts.purchases.title, path: '/purchases', icon: IconCreditCard },
      { label: texts.enrollments.title, path: '/enrollments', icon: IconUserCheck },
    ],
  },
  {
    label: groups.site,
    places: [
      { label: texts.media.title, path: '/media', icon: IconPhoto },
      { label: texts.profile.title, path: '/profile', icon: IconUserCircle },
      { label: texts.site.title, path: '/settings', icon: IconSettings },
      { label: texts.moving.title, path: '/moving', icon: IconTransfer },
      { label: texts.trash.title, path: '/trash', icon: IconTrash },
    ],
  },
  {
    label: groups.tools,
    places: [
      { label: texts.keys.title, path: '/tools/api-keys', icon: IconKey },
      { label: texts.webhooks.title, path: '/tools/webhooks', icon: IconWebhook },
      { label: texts.assistants.title, path: '/tools/assistants', icon: IconSparkles },
      { label: texts.activity.title, path: '/tools/activity', icon: IconClipboardList },
    ],
  },
];
