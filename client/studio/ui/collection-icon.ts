import {
  type Icon,
  IconBook,
  IconBriefcase,
  IconCertificate,
  IconFileText,
  IconNews,
  IconPresentation,
  IconRocket,
  IconSchool,
  IconStack2,
  IconStar,
} from '@tabler/icons-react';

/** Icons by collection; other collections get a generic one. */
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
