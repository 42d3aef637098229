/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything of libdxmit in one include. */
#ifndef DXMIT_H
#define DXMIT_H

#include <dxmit/direct.h>
#include <dxmit/error.h>
#include <dxmit/frame.h>
#include <dxmit/modify.h>
#include <dxmit/nic.h>
#include <dxmit/packet.h>
#include <dxmit/plan.h>
#include <dxmit/queue.h>
#include <dxmit/settings.h>
#include <dxmit/topology.h>
#include <dxmit/version.h>

#endif
