// SPDX-License-Identifier: GPL-2.0-only
/*
 * dxmit.ko: /dev/dxmit and its requests.
 */
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "internal.h"

static long give_info(void __user *user)
{
	struct dxmit_ioc_info info = {
		.abi_version = DXMIT_ABI_VERSION,
		.attach_flags = DXMIT_ATTACH_FLAGS,
		.batch_max = DXMIT_BATCH_MAX,
		.batch_default = BATCH_DEFAULT,
		.version = DXMIT_MODULE_VERSION,
	};

	return copy_to_user(user, &info, sizeof(info)) ? -EFAULT : 0;
}

/* The answer goes back also with an error: it has the reason in it. A caller who
 * cannot be told of his attachment has none. */
static long attach_request(struct file *file, void __user *user)
{
	struct dxmit_ioc_attach request;
	long err;

	if (copy_from_user(&request, user, sizeof(request)))
		return -EFAULT;
	err = attach_socket(&request, file->private_data);
	if (copy_to_user(user, &request, sizeof(request)) && !err) {
		struct dxmit_ioc_which which = { .fd = -1, .id = request.id };

		detach_socket(which, file->private_data);
		err = -EFAULT;
	}
	return err;
}

static long detach_request(struct file *file, void __user *user)
{
	struct dxmit_ioc_which which;

	if (copy_from_user(&which, user, sizeof(which)))
		return -EFAULT;
	return detach_socket(which, file->private_data);
}

static long stats_request(struct file *file, void __user *user)
{
	struct dxmit_ioc_stats stats;
	long err;

	if (copy_from_user(&stats, user, sizeof(stats)))
		return -EFAULT;
	err = attachment_stats(&stats, file->private_data);
	if (!err && copy_to_user(user, &stats, sizeof(stats)))
		err = -EFAULT;
	return err;
}

static long list_request(void __user *user)
{
	struct dxmit_ioc_list list;
	long err;

	if (copy_from_user(&list, user, sizeof(list)))
		return -EFAULT;
	err = attachment_list(&list);
	if (!err && copy_to_user(user, &list, sizeof(list)))
		err = -EFAULT;
	return err;
}

static long device_ioctl(struct file *file, unsigned int command, unsigned long arg)
{
	void __user *user = (void __user *)arg;

	switch (command) {
	case DXMIT_IOC_INFO:
		return give_info(user);
	case DXMIT_IOC_ATTACH:
		return attach_request(file, user);
	case DXMIT_IOC_DETACH:
		return detach_request(file, user);
	case DXMIT_IOC_STATS:
		return stats_request(file, user);
	case DXMIT_IOC_LIST:
		return list_request(user);
	default:
		return -ENOTTY;
	}
}

/* A number of its own for each open file: a pointer could come again. */
static int device_open(struct inode *inode, struct file *file)
{
	static atomic_long_t last;

	file->private_data = (void *)atomic_long_inc_return(&last);
	return 0;
}

static const struct file_operations device_operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "dxmit",
	.fops = &device_operations,
	.mode = 0600,
};

/* Sizes are ABI. */
static_assert(sizeof(struct dxmit_ioc_info) == 64);
static_assert(sizeof(struct dxmit_ioc_attach) == 48);
static_assert(sizeof(struct dxmit_ioc_which) == 32);
static_assert(sizeof(struct dxmit_ioc_stats) == 176);
static_assert(sizeof(struct dxmit_ioc_list) == 32);

static int __init dxmit_init(void)
{
	int err = attachments_init();

	if (err)
		return err;
	err = misc_register(&device);
	if (err)
		goto exit_attachments;
	debugfs_start();
	return 0;

exit_attachments:
	attachments_exit();
	return err;
}

static void __exit dxmit_exit(void)
{
	debugfs_stop();
	misc_deregister(&device);
	attachments_exit();
}

module_init(dxmit_init);
module_exit(dxmit_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Direct transmit path for AF_XDP sockets in copy mode");
MODULE_VERSION(DXMIT_MODULE_VERSION);
